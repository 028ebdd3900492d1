import { ConflictError, inject, NotFoundError, type NumberedPage, type PageResult } from 'blazon'
import { CustomersService } from '../customers/customers-service.js'
import { Now } from '../shared/now.js'
import { OrdersRepository } from './orders-repository.js'
import type { ExportedOrder, NewOrder, Order, OrderFilter } from './orders-schemas.js'
import { Payments } from './payments.js'

export class OrdersService {
  private readonly orders = inject(OrdersRepository)
  private readonly customers = inject(CustomersService)
  private readonly payments = inject(Payments)
  private readonly now = inject(Now)

  async place(input: NewOrder, placedBy: string): Promise<Order> {
    await this.customers.get(input.customerId)
    const total = input.lines.reduce((sum, line) => sum + line.quantity * line.unitPrice, 0)
    return this.orders.insert({ ...input, total, status: 'open', placedBy, placedAt: this.now() })
  }

  list(page: NumberedPage<string, true>, filter: OrderFilter): Promise<PageResult<Order, true>> {
    return this.orders.find(page, filter)
  }

  export(filter: OrderFilter): Promise<ExportedOrder[]> {
    return this.orders.findForExport(filter)
  }

  all(): AsyncIterable<Order> {
    return this.orders.all()
  }

  async get(id: number): Promise<Order> {
    const order = await this.orders.findById(id)
    if (order === undefined) throw new NotFoundError(`Order ${id} does not exist`)
    return order
  }

  async pay(id: number): Promise<Order> {
    const order = await this.finish(id, 'paid')
    // If the payment fails, the transaction of the request is rolled back.
    await this.payments.charge(order)
    return order
  }

  cancel(id: number): Promise<Order> {
    return this.finish(id, 'cancelled')
  }

  private async finish(id: number, status: 'paid' | 'cancelled'): Promise<Order> {
    const finished = await this.orders.finish(id, status)
    if (finished !== undefined) return finished
    const order = await this.get(id)
    throw new ConflictError(`Order ${id} is already ${order.status}`, { code: 'ORDER_NOT_OPEN' })
  }
}
