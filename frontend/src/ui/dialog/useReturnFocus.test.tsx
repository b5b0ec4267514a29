// @vitest-environment jsdom
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";
import { prepareBrowser } from "../../testing/renderApp";
import { ConfirmDialog } from "./ConfirmDialog";
import { ModalDialog } from "./ModalDialog";

prepareBrowser();

function TwoDialogs() {
  const [open, setOpen] = useState<"change" | "delete" | null>(null);
  const [isDeleted, setDeleted] = useState(false);
  return (
    <main tabIndex={-1}>
      <button type="button" onClick={() => setOpen("change")}>
        Change
      </button>
      {!isDeleted && (
        <button type="button" onClick={() => setOpen("delete")}>
          Delete
        </button>
      )}
      {open === "change" && (
        <ModalDialog title="Change it" onClose={() => setOpen(null)}>
          <input aria-label="Name" />
        </ModalDialog>
      )}
      {open === "delete" && (
        <ConfirmDialog
          title="Delete it?"
          keep="Keep it"
          confirm="Delete for ever"
          onClose={() => setOpen(null)}
          onConfirm={() => {
            setDeleted(true);
            setOpen(null);
          }}
          data-testid="confirm"
        >
          It cannot be restored.
        </ConfirmDialog>
      )}
    </main>
  );
}

it("gives the focus back to the button that opened the dialog", async () => {
  const user = userEvent.setup();
  render(<TwoDialogs />);
  for (const name of ["Change", "Delete"]) {
    const opener = screen.getByRole("button", { name });
    await user.click(opener);
    await waitFor(() => expect(opener.contains(document.activeElement)).toBe(false));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(document.activeElement).toBe(opener));
  }
});

it("moves the focus to the main content if that button is gone", async () => {
  const user = userEvent.setup();
  render(<TwoDialogs />);
  await user.click(screen.getByRole("button", { name: "Delete" }));
  await user.click(await screen.findByTestId("confirm"));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("main")));
});
