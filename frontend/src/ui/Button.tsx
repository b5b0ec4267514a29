import type { ComponentProps } from "react";
import styles from "./Button.module.css";

interface ButtonProps extends ComponentProps<"button"> {
  readonly tone?: "plain" | "primary" | "ghost" | "danger";
  readonly size?: "small" | "normal" | "large";
  /** State of a toggle button; undefined for any other button. */
  readonly pressed?: boolean | undefined;
}

export function Button({ tone = "plain", size = "normal", pressed, className, ...rest }: ButtonProps) {
  const classes = [buttonClass(tone, size), className].filter(Boolean).join(" ");
  return <button type="button" className={classes} aria-pressed={pressed} {...rest} />;
}

/** Returns the classes of a button, for a link that looks like one. */
export function buttonClass(
  tone: NonNullable<ButtonProps["tone"]> = "plain",
  size: NonNullable<ButtonProps["size"]> = "normal",
): string {
  return [styles.button, styles[tone], styles[size]].filter(Boolean).join(" ");
}

interface IconButtonProps extends Omit<ButtonProps, "size"> {
  /** Text that names the button's action: its accessible name and its tooltip. */
  readonly label: string;
}

export function IconButton({ label, className, tone = "ghost", ...rest }: IconButtonProps) {
  return (
    <Button
      tone={tone}
      aria-label={label}
      title={label}
      className={[styles.icon, className].filter(Boolean).join(" ")}
      {...rest}
    />
  );
}
