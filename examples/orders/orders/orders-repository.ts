import { CacheManager, inject, type NumberedPage, type PageResult } from 'blazon'
import { Database, readPage, type Sql, sql } from 'blazon/postgres'
import { OrderChanges } from './order-changes.js'
import { EXPORT_LIMIT, type ExportedOrder, type Order, type OrderFilter } from './orders-schemas.js'

/** As the API shows them. A `bigint` would come as text; no total is so high that a number could not say it exactly. */
const ORDERS = sql`
  select id, customer_id as "customerId",
    json_build_object('street', street, 'city', city, 'country', country) as "shipTo",
    (
      select json_agg(json_build_object('sku', sku, 'quantity', quantity, 'unitPrice', unit_price) order by position)
      from order_lines where (tenant_id, order_id) = (orders.tenant_id, orders.id)
    ) as lines,
    total::float8 as total, status, placed_by as "placedBy", placed_at as "placedAt"
  from orders`

/** The orders of the tenant whose request this is: PostgreSQL shows it no others. */
export class OrdersRepository {
  private readonly db = inject(Database)
  private readonly cache = inject(CacheManager)
  private readonly changes = inject(OrderChanges)

  /** To be called in a transaction, as every request of a shop is one: an order without its lines is never saved. */
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

  /** Page by page, so that neither the process nor the database ever holds all of them. */
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

  /** Gives an order its last status; `undefined` where there is none that is open. Of two who try at the same time, one does it. */
  async finish(id: number, status: 'paid' | 'cancelled'): Promise<Order | undefined> {
    const finished = await this.db.sql`
      update orders set status = ${status} where id = ${id} and status = 'open' returning id`
    if (finished.length === 0) return undefined
    const order = await this.findById(id)
    if (order !== undefined) await this.haveChanged(order)
    return order
  }

  /** Answers that show orders of this shop are made anew: once it is saved, or one that is made meanwhile would show what was. */
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
