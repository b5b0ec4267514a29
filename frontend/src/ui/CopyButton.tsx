import { Button, IconButton } from "./Button";
import { Icon, type IconName } from "./Icon";
import { useCopy } from "./useCopy";

interface CopyButtonProps {
  readonly label: string;
  /** Returns the text to copy. Called on each click, so that a link describes the page at that time. */
  readonly text: () => string;
  /** Text beside the icon; without it, the button is an icon alone. */
  readonly caption?: string;
  readonly icon?: IconName;
  readonly "data-testid"?: string;
}

export function CopyButton({
  label,
  text,
  caption,
  icon: idle = "copy",
  "data-testid": testId,
}: CopyButtonProps) {
  const { said, copy } = useCopy();
  const icon = <Icon name={said === "Copied" ? "check" : idle} />;
  return (
    <>
      {caption === undefined ? (
        <IconButton label={said || label} data-testid={testId} onClick={() => copy(text())}>
          {icon}
        </IconButton>
      ) : (
        <Button title={label} data-testid={testId} onClick={() => copy(text())}>
          {icon}
          {said || caption}
        </Button>
      )}
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  );
}
