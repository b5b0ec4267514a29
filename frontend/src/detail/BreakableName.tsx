import { Fragment } from "react";
import { LoggedText } from "../text/LoggedText";

/** A dotted name that breaks at its dots when it has to. */
export function BreakableName({ name }: { name: string }) {
  return [...name.matchAll(/[^._/]*[._/]|[^._/]+/g)].map(({ 0: part, index }) => (
    <Fragment key={index}>
      <LoggedText text={part} />
      <wbr />
    </Fragment>
  ));
}
