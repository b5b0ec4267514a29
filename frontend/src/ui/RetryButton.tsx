import { Button } from "./Button";
import { Icon } from "./Icon";
import { useRetry } from "./useRetry";

/** Asks every failed query of the page again, for places too small to say more. */
export function RetryButton({ "data-testid": testId }: { "data-testid": string }) {
  const retry = useRetry();
  return (
    <Button size="small" tone="ghost" data-testid={testId} onClick={retry}>
      <Icon name="refresh" />
      Try again
    </Button>
  );
}
