import { createContext, use, useMemo } from "react";
import { type Columns, DEFAULT_COLUMNS, readColumns, writeColumns } from "./columns";

export interface ChosenColumns {
  readonly columns: Columns;
  readonly setColumns: (columns: Columns) => void;
}

const ColumnsContext = createContext<ChosenColumns>({
  columns: readColumns(DEFAULT_COLUMNS),
  setColumns: () => undefined,
});

interface ColumnsProviderProps {
  /** The columns in the form that the URL has. */
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly children: React.ReactNode;
}

/** Provides the columns to the list of logs and to all controls that add or remove a column. */
export function ColumnsProvider({ text, onChange, children }: ColumnsProviderProps) {
  const columns = useMemo(() => readColumns(text), [text]);
  const value = useMemo(
    () => ({ columns, setColumns: (next: Columns) => onChange(writeColumns(next)) }),
    [columns, onChange],
  );
  return <ColumnsContext value={value}>{children}</ColumnsContext>;
}

export function useColumns(): ChosenColumns {
  return use(ColumnsContext);
}
