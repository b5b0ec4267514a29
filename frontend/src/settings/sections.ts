/** Sections of Settings, by the last part of their address. */
export const SECTIONS = [
  { id: "keys", title: "Keys" },
  { id: "limits", title: "Limits and retention" },
  { id: "attributes", title: "Attribute policy" },
  { id: "storage", title: "Storage" },
  { id: "usage", title: "Usage" },
  { id: "audit", title: "Audit log" },
] as const;

export type SectionId = (typeof SECTIONS)[number]["id"];

/** Returns the section for an address: the first for an address without a section, null for an unknown one. */
export function sectionOf(named: string | undefined): SectionId | null {
  if (named === undefined) return SECTIONS[0].id;
  return SECTIONS.find(({ id }) => id === named)?.id ?? null;
}
