import {
  ApiResponseDoc,
  Auth,
  BaseController,
  Body,
  Cache,
  Can,
  Controller,
  Delete,
  Get,
  inject,
  JsonLines,
  Params,
  Post,
  Produces,
  Query,
  type Req,
  type Request,
  type Response,
  Sse,
  sseComment,
  Tenant,
} from 'blazon'
import { z } from 'zod'
import { pageSchema } from '../shared/paging.js'
import type { staff } from '../shared/staff.js'
import { OrderChanges } from './order-changes.js'
import {
  EXPORT_LIMIT,
  ExportedOrder,
  ExportFilter,
  NewOrder,
  Order,
  OrderFilter,
  OrderId,
} from './orders-schemas.js'
import { OrdersService } from './orders-service.js'

@Auth()
@Tenant()
@Controller('orders')
export class OrdersController extends BaseController {
  private readonly orders = inject(OrdersService)
  private readonly changes = inject(OrderChanges)

  @Get()
  @Cache({ ttl: '1m', tags: ['orders'] })
  @Query(OrderFilter)
  @ApiResponseDoc({ status: 200, description: 'A page', schema: pageSchema(Order) })
  async list(req: Req<{ query: typeof OrderFilter }>, res: Response) {
    return this.ok(res, 'Orders', await this.orders.list(req.query))
  }

  @Get('export')
  @Produces('application/json', 'text/csv')
  @Query(ExportFilter)
  @ApiResponseDoc({
    status: 200,
    description: 'The orders, for a program or a spreadsheet',
    schema: z.array(ExportedOrder).max(EXPORT_LIMIT),
  })
  async export(req: Req<{ query: typeof ExportFilter }>, res: Response) {
    return this.ok(res, 'Orders', await this.orders.export(req.query))
  }

  /** Each order of the shop as it is placed, paid or cancelled. */
  @Get('feed')
  @Sse(Order)
  async *feed(req: Request) {
    const changes = this.changes.follow(req.signal)
    yield sseComment('open')
    yield* changes
  }

  /** All orders of the shop. */
  @Get('all')
  @JsonLines(Order)
  async *all() {
    yield* this.orders.all()
  }

  @Get(':id')
  @Cache({ ttl: '1m', tags: ['orders'] })
  @Params(OrderId)
  @ApiResponseDoc({ status: 200, description: 'The order', schema: Order })
  @ApiResponseDoc({ status: 404, description: 'No such order' })
  async getById(req: Req<{ params: typeof OrderId }>, res: Response) {
    return this.ok(res, 'Order', await this.orders.get(req.params.id))
  }

  @Post()
  @Can('orders:write')
  @Body(NewOrder)
  @ApiResponseDoc({ status: 201, description: 'The new order', schema: Order })
  @ApiResponseDoc({ status: 404, description: 'No such customer' })
  async place(req: Req<{ auth: typeof staff; body: typeof NewOrder }>, res: Response) {
    return this.ok(res, 'Order placed', await this.orders.place(req.body, req.user.id), 201)
  }

  @Post(':id/payment')
  @Can('orders:write')
  @Params(OrderId)
  @ApiResponseDoc({ status: 200, description: 'The order', schema: Order })
  @ApiResponseDoc({ status: 404, description: 'No such order' })
  @ApiResponseDoc({ status: 409, description: 'It is paid or cancelled already' })
  async pay(req: Req<{ params: typeof OrderId }>, res: Response) {
    return this.ok(res, 'Order paid', await this.orders.pay(req.params.id))
  }

  @Delete(':id')
  @Can('orders:write')
  @Params(OrderId)
  @ApiResponseDoc({ status: 200, description: 'The order', schema: Order })
  @ApiResponseDoc({ status: 404, description: 'No such order' })
  @ApiResponseDoc({ status: 409, description: 'It is paid or cancelled already' })
  async cancel(req: Req<{ params: typeof OrderId }>, res: Response) {
    return this.ok(res, 'Order cancelled', await this.orders.cancel(req.params.id))
  }
}
