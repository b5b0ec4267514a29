import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAdminKey } from "../session/adminKey";
import { useSession } from "../session/SessionContext";
import { testIds } from "../testIds";
import { Field } from "../ui/Form";
import styles from "./AddressAndKey.module.css";
import { CreateIngestKey } from "./CreateIngestKey";
import { keyMistake } from "./environment";
import { readIngestAddress } from "./ingestAddress";

interface AddressAndKeyProps {
  readonly address: string;
  readonly onAddress: (address: string) => void;
  readonly keyText: string;
  readonly onKey: (key: string) => void;
}

/** Fields for the address and the key with which logs are sent. The snippets below use both. */
export function AddressAndKey({ address, onAddress, keyText, onKey }: AddressAndKeyProps) {
  const { tenant } = useSession();
  const admin = useAdminKey();
  const [typedAddress, setTypedAddress] = useState<string | null>(null);
  const shownAddress = typedAddress ?? address;
  const [typedKey, setTypedKey] = useState(keyText);
  const typeAddress = (typed: string) => {
    setTypedAddress(typed);
    const read = readIngestAddress(typed);
    if (read !== null) onAddress(read);
  };
  const typeKey = (typed: string) => {
    const trimmed = typed.trim();
    setTypedKey(trimmed);
    onKey(keyMistake(trimmed) === null ? trimmed : "");
  };
  return (
    <div className={styles.fields}>
      <Field
        label="Ingest address (OTLP over HTTP)"
        isMono
        value={shownAddress}
        onChange={(event) => typeAddress(event.currentTarget.value)}
        mistake={
          readIngestAddress(shownAddress) === null
            ? "An address begins with http:// or https:// and has a host, like https://logs.example.com:4318."
            : null
        }
        hint="This is the address that the server reports. If your programs reach the receiver at another address, enter that one."
        spellCheck={false}
        autoComplete="off"
        data-testid={testIds.ingestAddress}
      />
      <Field
        label="Ingest key"
        isMono
        type="password"
        value={typedKey}
        onChange={(event) => typeKey(event.currentTarget.value)}
        mistake={keyMistake(typedKey)}
        hint="Paste a key to include it in the copied commands. It stays in this page's memory."
        placeholder="ls_ingest_…"
        spellCheck={false}
        autoComplete="off"
        data-testid={testIds.ingestKey}
      />
      <p className={styles.note}>
        Logsieve stores keys as hashes, so this page cannot show an existing key.
        {admin === null && (
          <>
            {" "}
            Create one in{" "}
            <Link to="/settings/{-$section}" params={{ section: "keys" }}>
              Settings
            </Link>{" "}
            with an admin key, or by <code>logsieve key create {tenant} ingest</code>.
          </>
        )}
        {tenant === "demo" && (
          <>
            {" "}
            On a one-machine stack, the demo tenant's key is in <code>.logsieve/keys.json</code>.
          </>
        )}
      </p>
      {admin !== null && <CreateIngestKey adminKey={admin} onKey={typeKey} />}
    </div>
  );
}
