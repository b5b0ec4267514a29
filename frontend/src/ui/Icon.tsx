/** Line icons on a grid of 16 by 16 pixels. They are decoration; the control around an icon has the accessible name. */
const PATHS = {
  search: "M7 12.5a5.5 5.5 0 1 1 0-11 5.5 5.5 0 0 1 0 11ZM11 11l3.5 3.5",
  start:
    "M8 1.5c2.8 1.6 4 4.2 3.5 7.5l-1.5 2H6L4.5 9C4 5.7 5.2 3.100 8 1.5ZM8 5.5v1.5M6 13.5h4M4.5 9 2.5 11.5M11.5 9l2 2.5",
  settings:
    "M2 4.5h6M11.5 4.5H14M2 11.5h2.5M8 11.5h6M9.7 6.2a1.7 1.7 0 1 0 0-3.400 1.7 1.7 0 0 0 0 3.400ZM6.300 13.2a1.7 1.7 0 1 0 0-3.400 1.7 1.7 0 0 0 0 3.400Z",
  bell: "M3 11.5h10c-1-1-1.500-2.200-1.500-4.500a3.500 3.500 0 0 0-7 0c0 2.300-.5 3.500-1.500 4.500ZM6.700 13.800h2.600",
  key: "M5.5 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM8 7.5l5.5-5.5M11 4.5l2 2",
  lock: "M3.5 7.5h9v6.5h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
  trash: "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9.5h6.800l.6-9.5M6.7 7v4.5M9.300 7v4.5",
  clock: "M8 14.5a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13ZM8 4.5V8l2.5 1.5",
  refresh: "M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.5V4.5h-3",
  help: "M8 14.5a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13ZM6.2 6.2a1.9 1.9 0 1 1 2.6 1.8c-.5.2-.8.6-.8 1.1v.3M8 11.6v.1",
  link: "M6.5 9.5a3 3 0 0 0 4.3 0l2.3-2.3a3 3 0 0 0-4.3-4.3l-.8.8M9.5 6.5a3 3 0 0 0-4.3 0L2.9 8.8a3 3 0 0 0 4.3 4.3l.8-.8",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9 13 13M13 3l-1.1 1.1M4.1 11.9 3 13",
  moon: "M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3Z",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  grid: "M2 2.5h5v4H2zM9.5 2.5H14v8H9.5zM2 9h5v4.5H2zM9.5 13.5H14",
  grip: "M6 3.5h.1M10 3.5h.1M6 8h.1M10 8h.1M6 12.5h.1M10 12.5h.1",
  left: "M10 3.5 5.5 8l4.5 4.5",
  right: "M6 3.5 10.5 8 6 12.5",
  expand: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  pencil: "M2.5 13.5l.7-3L11 2.7 13.3 5l-7.8 7.8z",
  up: "M3.5 10 8 5.5 12.5 10",
  down: "M3.5 6 8 10.5 12.5 6",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  check: "M3 8.5 6.5 12 13 4.5",
  plus: "M7 12.5a5.5 5.5 0 1 1 0-11 5.5 5.5 0 0 1 0 11ZM11 11l3.5 3.5M7 4.7v4.6M4.7 7h4.6",
  minus: "M7 12.5a5.5 5.5 0 1 1 0-11 5.5 5.5 0 0 1 0 11ZM11 11l3.5 3.5M4.7 7h4.6",
  wrap: "M2 3.5h12M2 8h9.5a2.2 2.2 0 0 1 0 4.5H8M9.8 10.5 7.8 12.5l2 2M2 12.5h3",
  sort: "M4.5 2.5v11M2 11l2.5 2.5L7 11M9 3.5h5M9 7h4M9 10.5h2.5",
  plan: "M2 3h4v4H2zM10 9h4v4h-4zM6 5h3a3 3 0 0 1 3 3v1",
  download: "M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
  columns: "M2 3h12v10H2zM6 3v10M10 3v10",
  edge: "M6 2v12M10 2v12",
  user: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14.5a5.5 5.5 0 0 1 11 0",
  play: "M4.5 2.5v11l9-5.5z",
  pause: "M5 2.5v11M11 2.5v11",
  curve: "M2 13.5h12M2.5 12C5 12 8 11 9.5 8.5S12.5 3 13.5 2.5",
  tall: "M8 2v12M5 4.5 8 1.5l3 3M5 11.5l3 3 3-3",
  rows: "M2 3h12M2 6.3h12M2 9.6h12M2 13h12",
  bookmark: "M4 2h8v12L8 11l-4 3z",
  keys: "M1.5 4h13v8h-13zM4 6.7h.1M6.6 6.7h.1M9.3 6.7h.1M11.9 6.7h.1M4.5 9.6h7",
  more: "M3 8h.1M8 8h.1M13 8h.1",
  alert: "M8 2 14.5 13.5h-13ZM8 6.5v3M8 11.4v.1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 14 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <path
        d={PATHS[name]}
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
