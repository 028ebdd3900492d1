import { ConflictError, inject, NotFoundError, type NumberedPage, type PageResult } from 'blazon'
import { isUniqueViolation } from 'blazon/postgres'
import { Now } from '../shared/now.js'
import { CustomersRepository } from './customers-repository.js'
import type { Customer, NewCustomer } from './customers-schemas.js'

export class CustomersService {
  private readonly customers = inject(CustomersRepository)
  private readonly now = inject(Now)

  async register(input: NewCustomer): Promise<Customer> {
    try {
      return await this.customers.insert({ ...input, createdAt: this.now() })
    } catch (error) {
      // The address is not looked up first, because two concurrent requests could both find it free.
      if (!isUniqueViolation(error, 'customers_tenant_id_email_key')) throw error
      throw new ConflictError(`${input.email} is already registered`, { code: 'EMAIL_TAKEN' })
    }
  }

  list(page: NumberedPage<string, true>): Promise<PageResult<Customer, true>> {
    return this.customers.find(page)
  }

  async get(id: number): Promise<Customer> {
    const customer = await this.customers.findById(id)
    if (customer === undefined) throw new NotFoundError(`Customer ${id} does not exist`)
    return customer
  }
}
