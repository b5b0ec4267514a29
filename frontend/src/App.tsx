import { QueryClientProvider } from "@tanstack/react-query";
import type { RouterHistory } from "@tanstack/react-router";
import { RouterProvider } from "@tanstack/react-router";
import { useState } from "react";
import { createAppRouter } from "./router";
import { createQueryClient } from "./session/queryClient";
import { SessionGate } from "./session/SessionGate";

/** The whole page. Tests pass their own browser history. */
export function App({ history }: { history?: RouterHistory }) {
  const [queryClient] = useState(createQueryClient);
  const [router, setRouter] = useState(() => createAppRouter(history));
  // A new router, because the present one would first show the last search again.
  const startOver = () => {
    // Unsaved changes of the last user need no confirmation any more.
    router.history.replace("/", undefined, { ignoreBlocker: true });
    setRouter(createAppRouter(router.history));
  };
  return (
    <QueryClientProvider client={queryClient}>
      <SessionGate onLeave={startOver}>
        <RouterProvider router={router} />
      </SessionGate>
    </QueryClientProvider>
  );
}
