import { setPreferences, usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";

/** Buttons that change how the counts are drawn in this browser, and one that doubles the range. */
export function ChartTools({ onZoomOut }: { onZoomOut: () => void }) {
  const { chartScale, chartHeight } = usePreferences();
  const isLog = chartScale === "log";
  const isTall = chartHeight === "tall";
  return (
    <>
      <IconButton
        label="Logarithmic counts"
        pressed={isLog}
        data-testid={testIds.chartLog}
        onClick={() => setPreferences({ chartScale: isLog ? "linear" : "log" })}
      >
        <Icon name="curve" />
      </IconButton>
      <IconButton
        label="Taller chart"
        pressed={isTall}
        data-testid={testIds.chartTall}
        onClick={() => setPreferences({ chartHeight: isTall ? "normal" : "tall" })}
      >
        <Icon name="tall" />
      </IconButton>
      <IconButton label="Zoom out: twice this range" onClick={onZoomOut} data-testid={testIds.zoomOut}>
        <Icon name="minus" />
      </IconButton>
    </>
  );
}
