import { Fragment } from "react";
import { LoggedText } from "./LoggedText";

/** Shows a dotted name, which breaks at its dots if it does not fit on a line. */
export function BreakableName({ name }: { name: string }) {
  return [...name.matchAll(/[^._/]*[._/]|[^._/]+/g)].map(({ 0: part, index }) => (
    <Fragment key={index}>
      <LoggedText text={part} />
      <wbr />
    </Fragment>
  ));
}
