import { Link, useParams } from "@tanstack/react-router";
import { NotFoundPage } from "../layout/NotFoundPage";
import { Lead, Page } from "../layout/Page";
import { useSession } from "../session/SessionContext";
import { testIds } from "../testIds";
import { AdminGate, LockButton } from "./AdminGate";
import { AttributesSection } from "./attributes/AttributesSection";
import { AuditSection } from "./audit/AuditSection";
import { KeysSection } from "./keys/KeysSection";
import { LimitsSection } from "./limits/LimitsSection";
import styles from "./SettingsPage.module.css";
import { SECTIONS, type SectionId, sectionOf } from "./sections";
import { StorageSection } from "./storage/StorageSection";
import { UsageSection } from "./usage/UsageSection";

/** The settings of the signed-in tenant. All sections except usage need an admin key. */
export function SettingsPage() {
  const { section: named } = useParams({ from: "/settings/{-$section}" });
  const { tenant } = useSession();
  const section = sectionOf(named);
  if (section === null) return <NotFoundPage />;
  return (
    <Page title="Settings" data-testid={testIds.settings}>
      <div className={styles.lead}>
        <Lead>Keys, limits, rules and usage of tenant {tenant}.</Lead>
        <LockButton />
      </div>
      <div className={styles.columns}>
        <nav aria-label="Settings" className={styles.sections}>
          {SECTIONS.map(({ id, title }) => (
            <Link
              key={id}
              to="/settings/{-$section}"
              params={{ section: id }}
              className={styles.section}
              aria-current={id === section ? "page" : undefined}
            >
              {title}
            </Link>
          ))}
        </nav>
        <div className={styles.content}>
          <Section id={section} />
        </div>
      </div>
    </Page>
  );
}

function Section({ id }: { id: SectionId }) {
  if (id === "usage") return <UsageSection />;
  return (
    <AdminGate key={id}>
      {id === "keys" && <KeysSection />}
      {id === "limits" && <LimitsSection />}
      {id === "attributes" && <AttributesSection />}
      {id === "storage" && <StorageSection />}
      {id === "audit" && <AuditSection />}
    </AdminGate>
  );
}
