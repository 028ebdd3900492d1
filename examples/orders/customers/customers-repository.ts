import type { Customer } from './customers-schemas.js'

/** Keeps customers in memory. Asynchronous, as a database would be. */
export class CustomersRepository {
  private readonly customers = new Map<number, Customer>()

  async insert(customer: Omit<Customer, 'id'>): Promise<Customer> {
    const stored = { id: this.customers.size + 1, ...customer }
    this.customers.set(stored.id, stored)
    return stored
  }

  async all(): Promise<Customer[]> {
    return [...this.customers.values()]
  }

  async findById(id: number): Promise<Customer | undefined> {
    return this.customers.get(id)
  }

  async findByEmail(email: string): Promise<Customer | undefined> {
    return (await this.all()).find((customer) => customer.email === email)
  }
}
