import { Button } from "./Button";
import { Icon } from "./Icon";
import { useRetry } from "./useRetry";

/** Button that repeats every failed query of the page, for places too small for a text. */
export function RetryButton({ "data-testid": testId }: { "data-testid": string }) {
  const retry = useRetry();
  return (
    <Button size="small" tone="ghost" data-testid={testId} onClick={retry}>
      <Icon name="refresh" />
      Try again
    </Button>
  );
}
