import { CacheManager, inject, type NumberedPage, type PageResult } from 'blazon'
import { Database, readPage, type Sql, sql } from 'blazon/postgres'
import { OrderChanges } from './order-changes.js'
import { EXPORT_LIMIT, type ExportedOrder, type Order, type OrderFilter } from './orders-schemas.js'

/** The orders in the format of the API. The `bigint` total would be text, but every total is exact as a number, too. */
const ORDERS = sql`
  select id, customer_id as "customerId",
    json_build_object('street', street, 'city', city, 'country', country) as "shipTo",
    (
      select json_agg(json_build_object('sku', sku, 'quantity', quantity, 'unitPrice', unit_price) order by position)
      from order_lines where (tenant_id, order_id) = (orders.tenant_id, orders.id)
    ) as lines,
    total::float8 as total, status, placed_by as "placedBy", placed_at as "placedAt"
  from orders`

/** The orders of the request's tenant. PostgreSQL hides the orders of other tenants. */
export class OrdersRepository {
  private readonly db = inject(Database)
  private readonly cache = inject(CacheManager)
  private readonly changes = inject(OrderChanges)

  /** Runs in the transaction of the request, so that an order is never saved without its lines. */
  async insert(order: Omit<Order, 'id'>): Promise<Order> {
    const { customerId, status, shipTo, total, placedBy, placedAt } = order
    const [row] = await this.db.sql<Pick<Order, 'id'>>`
      insert into orders (customer_id, status, street, city, country, total, placed_by, placed_at)
      values (${customerId}, ${status}, ${shipTo.street}, ${shipTo.city}, ${shipTo.country}, ${total}, ${placedBy}, ${placedAt})
      returning id`
    const { id } = row as Pick<Order, 'id'>
    const lines = order.lines.map(
      ({ sku, quantity, unitPrice }, index) =>
        sql`(${id}, ${index + 1}, ${sku}, ${quantity}, ${unitPrice})`,
    )
    await this.db.sql`
      insert into order_lines (order_id, position, sku, quantity, unit_price) values ${sql.join(lines)}`
    const placed = { id, ...order }
    await this.haveChanged(placed)
    return placed
  }

  find(page: NumberedPage<string, true>, filter: OrderFilter): Promise<PageResult<Order, true>> {
    return readPage(this.db, page, sql`${ORDERS} where ${matching(filter)}`)
  }

  findForExport(filter: OrderFilter): Promise<ExportedOrder[]> {
    return this.db.sql<ExportedOrder>`
      select id, status, customer_id as "customerId", total::float8 as total, placed_by as "placedBy",
        placed_at as "placedAt"
      from orders where ${matching(filter)} order by id limit ${EXPORT_LIMIT}`
  }

  /** Reads the orders page by page, so that they are never all in memory. */
  async *all(): AsyncGenerator<Order> {
    let after = 0
    for (;;) {
      const page = await this.db.sql<Order>`${ORDERS} where id > ${after} order by id limit 200`
      yield* page
      const last = page.at(-1)
      if (last === undefined) return
      after = last.id
    }
  }

  async findById(id: number): Promise<Order | undefined> {
    const [order] = await this.db.sql<Order>`${ORDERS} where id = ${id}`
    return order
  }

  /** Sets the final status of an order; `undefined` if it is not open. Only one of two concurrent calls succeeds. */
  async finish(id: number, status: 'paid' | 'cancelled'): Promise<Order | undefined> {
    const finished = await this.db.sql`
      update orders set status = ${status} where id = ${id} and status = 'open' returning id`
    if (finished.length === 0) return undefined
    const order = await this.findById(id)
    if (order !== undefined) await this.haveChanged(order)
    return order
  }

  /**
   * Removes cached responses with orders of the shop, and publishes the change. This happens after the commit: before
   * it, a concurrent request could cache the old order again.
   */
  private async haveChanged(order: Order): Promise<void> {
    await this.db.afterCommit(() => this.cache.invalidateTags(['orders']))
    await this.db.afterCommit(() => this.changes.publish(order))
  }
}

function matching({ status, customerId }: OrderFilter): Sql {
  const conditions = [
    sql`true`,
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(customerId === undefined ? [] : [sql`customer_id = ${customerId}`]),
  ]
  return sql.join(conditions, ' and ')
}
