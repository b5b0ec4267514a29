import { useRef, useState } from "react";
import { Button, IconButton } from "./Button";
import { copyText } from "./copyText";
import { Icon, type IconName } from "./Icon";

interface CopyButtonProps {
  readonly label: string;
  /** Called on each click, so that a link is made of what the page shows then. */
  readonly text: () => string;
  /** Shown beside the icon; without it the button is an icon alone. */
  readonly caption?: string;
  readonly icon?: IconName;
  readonly "data-testid"?: string;
}

const CONFIRMED_MS = 1600;

export function CopyButton({
  label,
  text,
  caption,
  icon: idle = "copy",
  "data-testid": testId,
}: CopyButtonProps) {
  const [outcome, setOutcome] = useState<"copied" | "failed" | null>(null);
  const timer = useRef(0);
  const copy = async () => {
    setOutcome((await copyText(text())) ? "copied" : "failed");
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setOutcome(null), CONFIRMED_MS);
  };
  const said = outcome === "copied" ? "Copied" : "Copying is blocked";
  const icon = <Icon name={outcome === "copied" ? "check" : idle} />;
  return (
    <>
      {caption === undefined ? (
        <IconButton label={outcome === null ? label : said} data-testid={testId} onClick={() => void copy()}>
          {icon}
        </IconButton>
      ) : (
        <Button title={label} data-testid={testId} onClick={() => void copy()}>
          {icon}
          {outcome === null ? caption : said}
        </Button>
      )}
      <span className="visually-hidden" role="status">
        {outcome === null ? "" : said}
      </span>
    </>
  );
}
