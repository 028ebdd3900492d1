import { inject, type NumberedPage, type PageResult } from 'blazon'
import { Database, readPage, sql } from 'blazon/postgres'
import type { Customer } from './customers-schemas.js'

const CUSTOMERS = sql`select id, name, email, created_at as "createdAt" from customers`

/** The customers of the request's tenant. PostgreSQL hides the customers of other tenants. */
export class CustomersRepository {
  private readonly db = inject(Database)

  async insert(customer: Omit<Customer, 'id'>): Promise<Customer> {
    const { name, email, createdAt } = customer
    const [row] = await this.db.sql<Pick<Customer, 'id'>>`
      insert into customers (name, email, created_at) values (${name}, ${email}, ${createdAt}) returning id`
    return { ...(row as Pick<Customer, 'id'>), ...customer }
  }

  find(page: NumberedPage<string, true>): Promise<PageResult<Customer, true>> {
    return readPage(this.db, page, CUSTOMERS)
  }

  async findById(id: number): Promise<Customer | undefined> {
    const [customer] = await this.db.sql<Customer>`${CUSTOMERS} where id = ${id}`
    return customer
  }
}
