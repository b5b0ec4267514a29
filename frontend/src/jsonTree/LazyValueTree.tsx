import { CatchBoundary } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { ValueTreeProps } from "./ValueTree";

const ValueTree = lazy(() => import("./ValueTree").then((module) => ({ default: module.ValueTree })));

/** A tree of JSON whose code is loaded with the first record that is opened. Shows the fallback where it cannot be. */
export function LazyValueTree(props: ValueTreeProps) {
  return (
    <CatchBoundary getResetKey={() => props.source} errorComponent={() => props.fallback}>
      <Suspense fallback={null}>
        <ValueTree {...props} />
      </Suspense>
    </CatchBoundary>
  );
}
