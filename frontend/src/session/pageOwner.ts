import { tabStorage } from "../preferences/browserStorage";

const STORAGE_KEY = "logsieve.page-owner";

/** Storage of the name of the tenant whose page the tab shows, also after it is loaded again. */
export const pageOwner = {
  read(): string | null {
    return tabStorage.get(STORAGE_KEY);
  },
  /** Stores the tenant's name; null removes it. */
  keep(tenant: string | null): void {
    if (tenant === null) tabStorage.remove(STORAGE_KEY);
    else tabStorage.set(STORAGE_KEY, tenant);
  },
};
