// @vitest-environment jsdom
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { StatsBuilder } from "./StatsBuilder";

it("leaves a field with spaces at its ends as it is when the user leaves its input", () => {
  const onText = vi.fn();
  const window = { start: 0n, end: 1n };
  render(<StatsBuilder text={'count() by " odd "'} window={window} fields={[]} onText={onText} />);
  const input = screen.getByTestId<HTMLInputElement>(testIds.statsBy);
  expect(input.value).toBe(" odd ");
  fireEvent.blur(input);
  expect(onText).not.toHaveBeenCalled();
  fireEvent.change(input, { target: { value: " service " } });
  fireEvent.blur(input);
  expect(onText).toHaveBeenCalledWith("count() by service | limit 20");
});
