import { RedactionsSection } from "./RedactionsSection";
import { RulesSection } from "./RulesSection";

/** What of the tenant's records is never stored: attributes by their names, and texts of bodies by patterns. */
export function AttributesSection() {
  return (
    <>
      <RulesSection />
      <RedactionsSection />
    </>
  );
}
