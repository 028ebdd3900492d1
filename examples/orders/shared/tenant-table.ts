import { requireTenantId } from 'blazon'

/** Rows in memory, a table for each tenant. Asynchronous, as a database would be. */
export class TenantTable<T extends { id: number }> {
  private readonly tables = new Map<string, Map<number, T>>()

  async insert(row: Omit<T, 'id'>): Promise<T> {
    const rows = this.rows()
    const stored = { id: rows.size + 1, ...row } as T
    rows.set(stored.id, stored)
    return stored
  }

  async update(row: T): Promise<T> {
    this.rows().set(row.id, row)
    return row
  }

  async all(): Promise<T[]> {
    return [...this.rows().values()]
  }

  async findById(id: number): Promise<T | undefined> {
    return this.rows().get(id)
  }

  /** Whoever asks gets the table of the tenant whose request this is; outside of one there is none to get. */
  private rows(): Map<number, T> {
    const tenant = requireTenantId()
    const rows = this.tables.get(tenant) ?? new Map<number, T>()
    this.tables.set(tenant, rows)
    return rows
  }
}
