import { TenantTable } from '../shared/tenant-table.js'
import type { Customer } from './customers-schemas.js'

/** The customers of the tenant whose request this is. */
export class CustomersRepository extends TenantTable<Customer> {
  async findByEmail(email: string): Promise<Customer | undefined> {
    return (await this.all()).find((customer) => customer.email === email)
  }
}
