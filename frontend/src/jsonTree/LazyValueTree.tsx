import { CatchBoundary } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { ValueTreeProps } from "./ValueTree";

const ValueTree = lazy(() => import("./ValueTree").then((module) => ({ default: module.ValueTree })));

/** Shows JSON as a tree, whose code is loaded when the first record is opened. Shows the fallback if that fails. */
export function LazyValueTree(props: ValueTreeProps) {
  return (
    <CatchBoundary getResetKey={() => props.source} errorComponent={() => props.fallback}>
      <Suspense fallback={null}>
        <ValueTree {...props} />
      </Suspense>
    </CatchBoundary>
  );
}
