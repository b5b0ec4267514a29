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
  const [router] = useState(() => createAppRouter(history));
  return (
    <QueryClientProvider client={queryClient}>
      <SessionGate>
        <RouterProvider router={router} />
      </SessionGate>
    </QueryClientProvider>
  );
}
