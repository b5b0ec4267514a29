/** Returns a design token's value on screen, because a canvas cannot resolve var() and light-dark() itself. */
export function readColour(token: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
