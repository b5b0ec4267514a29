import { useMutation, useQuery } from "@tanstack/react-query";
import { asProblem, sentence } from "../../api/problem";
import type { AttributeRule } from "../../api/types";
import { plural } from "../../format/quantity";
import { ADMIN_QUERIES } from "../../session/adminKey";
import { testIds } from "../../testIds";
import { LoggedText } from "../../text/LoggedText";
import { visibleText } from "../../text/signs";
import { Button, IconButton } from "../../ui/Button";
import { Message } from "../../ui/Form";
import { Icon } from "../../ui/Icon";
import { LoadProblem } from "../../ui/section/LoadProblem";
import { PageSection } from "../../ui/section/PageSection";
import { ScrolledTable } from "../../ui/section/ScrolledTable";
import styles from "../../ui/section/Section.module.css";
import { useAdmin } from "../useAdmin";
import { useReread } from "../useReread";
import { NewRuleForm } from "./NewRuleForm";

const HEADS = ["Attribute", "Action", "Applies to", ""];

/** Shows and removes rules that drop or mask attributes before they are stored. */
export function RulesSection() {
  const { api, tenant } = useAdmin();
  const queryKey = [ADMIN_QUERIES, "rules", tenant.name];
  const refetch = useReread("rules", tenant.name);
  const rules = useQuery({ queryKey, queryFn: ({ signal }) => api.rules(signal), staleTime: 0 });
  const removed = useMutation({
    mutationFn: ({ name, is_prefix: isPrefix }: AttributeRule) => api.removeRule(name, isPrefix),
    onSuccess: refetch,
  });
  const recommended = useMutation({ mutationFn: api.addRecommendedRules, onSuccess: refetch });
  const failed = removed.error ?? recommended.error;
  return (
    <PageSection
      title="Attributes"
      controls={
        <Button
          onClick={() => recommended.mutate()}
          disabled={recommended.isPending}
          title="Mask authorization headers, cookies, API keys and passwords"
        >
          Add recommended rules
        </Button>
      }
    >
      <p className={styles.text}>
        <b>Mask</b> stores <code>***</code> for the value, <b>drop</b> stores nothing. A change takes effect
        within 5 seconds, for records that arrive later. Stored values stay. Masked and dropped values are
        lost.
      </p>
      <NewRuleForm onAdded={refetch} />
      {failed !== null && <Message>{sentence(asProblem(failed).message)}</Message>}
      {recommended.isSuccess && <Message tone="good">{plural(recommended.data, "rule")} added.</Message>}
      <LoadProblem of={rules} />
      {rules.data?.length === 0 && <p className={styles.empty}>No rules: all attributes are stored.</p>}
      {rules.data !== undefined && rules.data.length > 0 && (
        <RuleTable rules={rules.data} onRemove={removed.mutate} />
      )}
    </PageSection>
  );
}

interface RuleTableProps {
  readonly rules: readonly AttributeRule[];
  readonly onRemove: (rule: AttributeRule) => void;
}

function RuleTable({ rules, onRemove }: RuleTableProps) {
  return (
    <ScrolledTable label="List of attribute rules" heads={HEADS} isStacked>
      {rules.map((rule) => (
        <tr key={`${rule.tenant}/${rule.name}/${rule.is_prefix}`} data-testid={testIds.ruleRow}>
          <th scope="row">
            <code>
              <LoggedText text={rule.name} />
            </code>
            {rule.is_prefix && <span className={styles.muted}> and all names with this prefix</span>}
          </th>
          <td data-head="Action">{rule.action}</td>
          <td data-head="Applies to">{rule.tenant === null ? "all tenants" : "this tenant"}</td>
          <td data-align="right">
            {rule.tenant !== null && (
              <IconButton
                label={`Remove the rule on ${visibleText(rule.name)}`}
                data-testid={testIds.ruleRemove}
                onClick={() => onRemove(rule)}
              >
                <Icon name="trash" />
              </IconButton>
            )}
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}
