/** Returns a promise for an answer that a test holds back, and the function that releases it. */
export function held(): { isHeld: Promise<void>; release: () => void } {
  let release = () => {};
  const isHeld = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { isHeld, release };
}
