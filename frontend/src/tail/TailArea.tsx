import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { formatCount } from "../format/quantity";
import { type Neighbours, neighboursOf } from "../results/neighbours";
import areaStyles from "../results/ResultArea.module.css";
import { ResultList } from "../results/ResultList";
import { useSession } from "../session/SessionContext";
import { testIds } from "../testIds";
import { Failure } from "../ui/Failure";
import { useFocusKey } from "../ui/useFocusKey";
import { TailToolbar } from "./TailToolbar";
import { MAX_ROWS } from "./tailView";
import { useTail } from "./useTail";

interface TailAreaProps {
  readonly query: string;
  readonly openId: string | null;
  readonly onOpen: (id: string, how: "push" | "replace") => void;
  readonly onClose: () => void;
  /** Called with the records above and below the open one whenever they change. */
  readonly onNeighbours: (neighbours: Neighbours) => void;
}

/** Shows logs as they arrive, newest on top. The list does not move while it is scrolled down. */
export default function TailArea({ query, openId, onOpen, onClose, onNeighbours }: TailAreaProps) {
  const { tenant } = useSession();
  const queryClient = useQueryClient();
  const area = useRef<HTMLDivElement>(null);
  const [isHeld, setHeld] = useState(false);
  const [isScrolledAway, setScrolledAway] = useState(false);
  const isPaused = isHeld || isScrolledAway;
  const tail = useTail(query, isPaused);
  const { rows } = tail.view;
  useFocusKey("Escape", onClose);

  const toggle = () => {
    setHeld(!isPaused);
    if (!isPaused) return;
    setScrolledAway(false);
    area.current?.querySelector("[role=grid]")?.scrollTo({ top: 0 });
  };
  // A record that has just arrived may not be stored yet, so the panel shows the tail's copy of it.
  const keepForPanel = (id: string | null) => {
    const log = rows.find((row) => row.id === id);
    if (log !== undefined) queryClient.setQueryData(["log", tenant, id], log);
  };
  const keepNeighbour = useEffectEvent(keepForPanel);
  const open = (id: string, how: "push" | "replace") => {
    keepForPanel(id);
    onOpen(id, how);
  };
  const { previous, next } = neighboursOf(rows, openId);
  useEffect(() => {
    keepNeighbour(previous);
    keepNeighbour(next);
    onNeighbours({ previous, next });
  }, [previous, next, onNeighbours]);
  return (
    <div
      ref={area}
      className={areaStyles.area}
      data-testid={testIds.tail}
      onScrollCapture={({ target }) => setScrolledAway(target instanceof HTMLElement && target.scrollTop > 0)}
    >
      <TailToolbar tail={tail} isPaused={isPaused} onTogglePause={toggle} />
      {tail.status.kind === "failed" && rows.length === 0 ? (
        <div className={areaStyles.note}>
          <Failure problem={tail.status.problem} onRetry={tail.restart} />
        </div>
      ) : rows.length === 0 ? (
        <p className={areaStyles.note}>
          {query === "" ? "Every log that arrives" : "Every log that arrives and matches"} is shown here.
        </p>
      ) : (
        <ResultList
          logs={rows}
          query={query}
          order={null}
          openId={openId}
          hasMore={false}
          isLoadingMore={false}
          isStale={false}
          failure={null}
          endNote={
            rows.length < MAX_ROWS
              ? "Search shows older logs"
              : `Only the newest ${formatCount(MAX_ROWS)} logs are kept here`
          }
          onLoadMore={() => undefined}
          onOpen={open}
        />
      )}
    </div>
  );
}
