import type { Order, OrderFilter } from './orders-schemas.js'

/** Keeps orders in memory. Asynchronous, as a database would be. */
export class OrdersRepository {
  private readonly orders = new Map<number, Order>()

  async insert(order: Omit<Order, 'id'>): Promise<Order> {
    const stored = { id: this.orders.size + 1, ...order }
    this.orders.set(stored.id, stored)
    return stored
  }

  async update(order: Order): Promise<Order> {
    this.orders.set(order.id, order)
    return order
  }

  async find({ status, customerId }: Pick<OrderFilter, 'status' | 'customerId'>): Promise<Order[]> {
    return [...this.orders.values()]
      .filter((order) => status === undefined || order.status === status)
      .filter((order) => customerId === undefined || order.customerId === customerId)
  }

  async findById(id: number): Promise<Order | undefined> {
    return this.orders.get(id)
  }
}
