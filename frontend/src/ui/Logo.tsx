/** The product's logo, a sieve: three rows of grains, fewer in each. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="5.5" fill="var(--accent)" />
      <path
        d="M5.5 7.5h13M7.8 12h8.4M10.2 16.5h3.6"
        stroke="var(--on-accent)"
        strokeWidth="2.2"
        strokeLinecap="round"
      />
    </svg>
  );
}
