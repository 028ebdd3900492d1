import {
  Auth,
  BaseController,
  Body,
  Can,
  Controller,
  Delete,
  Get,
  inject,
  Params,
  Post,
  Query,
  type Req,
  type Response,
} from 'blazon'
import { NewOrder, OrderFilter, OrderId } from './orders-schemas.js'
import { OrdersService } from './orders-service.js'

@Auth()
@Controller('orders')
export class OrdersController extends BaseController {
  private readonly orders = inject(OrdersService)

  @Get()
  @Query(OrderFilter)
  async list(req: Req<{ query: typeof OrderFilter }>, res: Response) {
    return this.ok(res, 'Orders', await this.orders.list(req.query))
  }

  @Get(':id')
  @Params(OrderId)
  async getById(req: Req<{ params: typeof OrderId }>, res: Response) {
    return this.ok(res, 'Order', await this.orders.get(req.params.id))
  }

  @Post()
  @Can('orders:write')
  @Body(NewOrder)
  async place(req: Req<{ body: typeof NewOrder }>, res: Response) {
    return this.ok(res, 'Order placed', await this.orders.place(req.body, req.user.id), 201)
  }

  @Post(':id/payment')
  @Can('orders:write')
  @Params(OrderId)
  async pay(req: Req<{ params: typeof OrderId }>, res: Response) {
    return this.ok(res, 'Order paid', await this.orders.pay(req.params.id))
  }

  @Delete(':id')
  @Can('orders:write')
  @Params(OrderId)
  async cancel(req: Req<{ params: typeof OrderId }>, res: Response) {
    return this.ok(res, 'Order cancelled', await this.orders.cancel(req.params.id))
  }
}
