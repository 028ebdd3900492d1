import {
  Auth,
  Controller,
  Delete,
  Get,
  inject,
  JsonLines,
  type Paged,
  Post,
  Produces,
  Sse,
  sseComment,
  Tenant,
  Version,
} from 'blazon'
import { z } from 'zod'
import type { Clerk } from '../shared/staff.js'
import { OrderChanges } from './order-changes.js'
import {
  EXPORT_LIMIT,
  ExportedAmount,
  ExportedOrder,
  NewOrder,
  Order,
  OrderFilter,
  OrderId,
  OrderPages,
} from './orders-schemas.js'
import { OrdersService } from './orders-service.js'

const CACHED = { ttl: '1m', tags: ['orders'] } as const
const CHANGED = {
  params: OrderId,
  returns: Order,
  errors: { 404: 'No such order', 409: 'The order is already paid or cancelled' },
  can: 'orders:write',
} as const

@Auth()
@Tenant()
@Controller('orders')
export class OrdersController {
  private readonly orders = inject(OrdersService)
  private readonly changes = inject(OrderChanges)

  @Get('', { paged: OrderPages, cache: CACHED })
  list({ page, query }: Paged<typeof OrderPages>) {
    return this.orders.list(page, query)
  }

  /** The orders, for a program or a spreadsheet. */
  @Version('1')
  @Get('export', { query: OrderFilter, returns: z.array(ExportedOrder).max(EXPORT_LIMIT) })
  @Produces('application/json', 'text/csv')
  export({ query }: { query: OrderFilter }) {
    return this.orders.export(query)
  }

  /** The same orders, with amounts in euros instead of cents, so that a spreadsheet can add them up. */
  @Version('2')
  @Get('export', { query: OrderFilter, returns: z.array(ExportedAmount).max(EXPORT_LIMIT) })
  @Produces('application/json', 'text/csv')
  async exportAmounts({ query }: { query: OrderFilter }) {
    const orders = await this.orders.export(query)
    return orders.map(({ total, ...order }) => ({
      ...order,
      amount: total / 100,
      currency: 'EUR' as const,
    }))
  }

  /** Sends each order of the shop when it is placed, paid or cancelled. */
  @Get('feed')
  @Sse(Order)
  async *feed({ signal }: { signal: AbortSignal }) {
    const changes = this.changes.follow(signal)
    yield sseComment('open')
    yield* changes
  }

  /** All orders of the shop. */
  @Get('all')
  @JsonLines(Order)
  async *all() {
    yield* this.orders.all()
  }

  @Get(':id', { params: OrderId, returns: Order, errors: { 404: 'No such order' }, cache: CACHED })
  getById({ params }: { params: OrderId }) {
    return this.orders.get(params.id)
  }

  @Post('', {
    body: NewOrder,
    returns: Order,
    status: 201,
    errors: { 404: 'No such customer' },
    can: 'orders:write',
  })
  place({ body, user }: { body: NewOrder; user: Clerk }) {
    return this.orders.place(body, user.id)
  }

  @Post(':id/payment', CHANGED)
  pay({ params }: { params: OrderId }) {
    return this.orders.pay(params.id)
  }

  @Delete(':id', CHANGED)
  cancel({ params }: { params: OrderId }) {
    return this.orders.cancel(params.id)
  }
}
