import type { ListedView } from "../api/types";

/** Returns views by folder, in the order in which the folders first occur. */
export function inFolders(views: readonly ListedView[]): readonly [folder: string, views: ListedView[]][] {
  const folders = new Map<string, ListedView[]>();
  for (const view of views) {
    const inside = folders.get(view.folder);
    if (inside === undefined) folders.set(view.folder, [view]);
    else inside.push(view);
  }
  return [...folders];
}
