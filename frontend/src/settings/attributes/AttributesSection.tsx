import { RedactionsSection } from "./RedactionsSection";
import { RulesSection } from "./RulesSection";

/** Shows and changes what is left out of the tenant's records: attributes by their names, texts in bodies by patterns. */
export function AttributesSection() {
  return (
    <>
      <RulesSection />
      <RedactionsSection />
    </>
  );
}
