import { TenantTable } from '../shared/tenant-table.js'
import type { Order, OrderFilter } from './orders-schemas.js'

/** The orders of the tenant whose request this is. */
export class OrdersRepository extends TenantTable<Order> {
  async find({ status, customerId }: Pick<OrderFilter, 'status' | 'customerId'>): Promise<Order[]> {
    return (await this.all())
      .filter((order) => status === undefined || order.status === status)
      .filter((order) => customerId === undefined || order.customerId === customerId)
  }
}
