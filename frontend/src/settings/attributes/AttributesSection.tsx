import { RedactionsSection } from "./RedactionsSection";
import { RulesSection } from "./RulesSection";

/**
 * Shows and changes the rules that remove data from the tenant's records: attributes by name, texts in bodies by
 * pattern.
 */
export function AttributesSection() {
  return (
    <>
      <RulesSection />
      <RedactionsSection />
    </>
  );
}
