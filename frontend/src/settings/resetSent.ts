/** Resets a form whose values were sent, unless a value was changed since, because that one has not been sent. */
export function resetSent(form: HTMLFormElement, sent: FormData): void {
  const now = new FormData(form);
  if ([...sent].every(([name, value]) => now.get(name) === value)) form.reset();
}
