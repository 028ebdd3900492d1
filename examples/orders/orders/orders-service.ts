import { CacheManager, ConflictError, inject, NotFoundError } from 'blazon'
import { CustomersService } from '../customers/customers-service.js'
import { Now } from '../shared/now.js'
import { type Page, pageOf } from '../shared/paging.js'
import { OrdersRepository } from './orders-repository.js'
import type { NewOrder, Order, OrderFilter } from './orders-schemas.js'

export class OrdersService {
  private readonly orders = inject(OrdersRepository)
  private readonly customers = inject(CustomersService)
  private readonly now = inject(Now)
  private readonly cache = inject(CacheManager)

  async place(input: NewOrder, placedBy: string): Promise<Order> {
    await this.customers.get(input.customerId)
    const total = input.lines.reduce((sum, line) => sum + line.quantity * line.unitPrice, 0)
    const draft = { ...input, total, status: 'open', placedBy, placedAt: this.now() } as const
    return this.changed(await this.orders.insert(draft))
  }

  async list(filter: OrderFilter): Promise<Page<Order>> {
    return pageOf(await this.orders.find(filter), filter)
  }

  async get(id: number): Promise<Order> {
    const order = await this.orders.findById(id)
    if (order === undefined) throw new NotFoundError(`Order ${id} does not exist`)
    return order
  }

  pay(id: number): Promise<Order> {
    return this.finish(id, 'paid')
  }

  cancel(id: number): Promise<Order> {
    return this.finish(id, 'cancelled')
  }

  private async finish(id: number, status: 'paid' | 'cancelled'): Promise<Order> {
    const order = await this.get(id)
    if (order.status !== 'open') {
      throw new ConflictError(`Order ${id} is already ${order.status}`, { code: 'ORDER_NOT_OPEN' })
    }
    return this.changed(await this.orders.update({ ...order, status }))
  }

  /** Answers that show orders of this shop are made anew. */
  private async changed(order: Order): Promise<Order> {
    await this.cache.invalidateTags(['orders'])
    return order
  }
}
