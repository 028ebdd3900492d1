import { inject } from 'blazon'
import { Database, sql } from 'blazon/postgres'
import { type Page, type Paging, readPage } from '../shared/paging.js'
import type { Customer } from './customers-schemas.js'

const CUSTOMERS = sql`select id, name, email, created_at as "createdAt" from customers`

/** The customers of the tenant whose request this is: PostgreSQL shows it no others. */
export class CustomersRepository {
  private readonly db = inject(Database)

  async insert(customer: Omit<Customer, 'id'>): Promise<Customer> {
    const { name, email, createdAt } = customer
    const [row] = await this.db.sql<Pick<Customer, 'id'>>`
      insert into customers (name, email, created_at) values (${name}, ${email}, ${createdAt}) returning id`
    return { ...(row as Pick<Customer, 'id'>), ...customer }
  }

  async find(paging: Paging): Promise<Page<Customer>> {
    return readPage(this.db, CUSTOMERS, paging)
  }

  async findById(id: number): Promise<Customer | undefined> {
    const [customer] = await this.db.sql<Customer>`${CUSTOMERS} where id = ${id}`
    return customer
  }
}
