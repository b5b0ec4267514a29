import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Lead, Page } from "../layout/Page";
import { useSession } from "../session/SessionContext";
import { testIds } from "../testIds";
import { AddressAndKey } from "./AddressAndKey";
import { ArrivalCard } from "./ArrivalCard";
import { NO_KEY } from "./environment";
import styles from "./GetStartedPage.module.css";
import { ingestAddressStorage, likelyIngestAddress, readIngestAddress } from "./ingestAddress";
import { SnippetTabs } from "./SnippetTabs";

/** Guides a new tenant to its first log: address and key, a program that sends, and a wait for the log. */
export function GetStartedPage() {
  const { api, tenant } = useSession();
  const served = useQuery({ queryKey: ["tenant", tenant], queryFn: () => api.tenant() });
  const [typed, setTyped] = useState(() => ingestAddressStorage.read());
  // The page's own guess is used until the server answers, and if an older server does not name the address.
  const address =
    typed ?? readIngestAddress(served.data?.ingest_url ?? "") ?? likelyIngestAddress(window.location);
  // The key is in this page's memory only, and is lost when the user leaves the page.
  const [key, setKey] = useState("");
  const changeAddress = (next: string) => {
    ingestAddressStorage.keep(next);
    setTyped(next);
  };
  return (
    <Page title="Get started" data-testid={testIds.getStarted}>
      <Lead>
        Tenant {tenant} takes logs by OpenTelemetry's protocol (OTLP), so every OpenTelemetry SDK and the
        Collector can send to it. Send a first log in three steps.
      </Lead>
      <div className={styles.steps}>
        <section className={styles.step} aria-labelledby="step-address">
          <h2 id="step-address">1. Address and key</h2>
          <AddressAndKey address={address} onAddress={changeAddress} keyText={key} onKey={setKey} />
        </section>
        <section className={styles.step} aria-labelledby="step-send">
          <h2 id="step-send">2. Send a log</h2>
          <SnippetTabs
            address={address}
            keyText={key === "" ? NO_KEY : key}
            grpcPort={served.data?.ingest_grpc_port ?? null}
          />
        </section>
        <section className={styles.arrival} aria-labelledby="step-arrival">
          <h2 id="step-arrival">3. See it arrive</h2>
          <ArrivalCard />
        </section>
      </div>
    </Page>
  );
}
