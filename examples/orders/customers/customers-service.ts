import { ConflictError, inject, NotFoundError } from 'blazon'
import { Now } from '../shared/now.js'
import { type Page, type Paging, pageOf } from '../shared/paging.js'
import { CustomersRepository } from './customers-repository.js'
import type { Customer, NewCustomer } from './customers-schemas.js'

export class CustomersService {
  private readonly customers = inject(CustomersRepository)
  private readonly now = inject(Now)

  async register(input: NewCustomer): Promise<Customer> {
    if (await this.customers.findByEmail(input.email)) {
      throw new ConflictError(`${input.email} is already registered`, { code: 'EMAIL_TAKEN' })
    }
    return this.customers.insert({ ...input, createdAt: this.now() })
  }

  async list(paging: Paging): Promise<Page<Customer>> {
    return pageOf(await this.customers.all(), paging)
  }

  async get(id: number): Promise<Customer> {
    const customer = await this.customers.findById(id)
    if (customer === undefined) throw new NotFoundError(`Customer ${id} does not exist`)
    return customer
  }
}
