// Blazon as its users write it. Only the default `security.helmet` is off where nobody sends its headers.

import type { Req, Request, Response } from 'blazon'
import { App, Auth, BaseController, Body, Controller, defineControllers, Get, Post } from 'blazon'
import { authenticate, findUser, Order, placeOrder } from '../workloads.mjs'
import { announce, workload } from './serve.mjs'

@Controller('users')
class UsersController extends BaseController {
  @Get(':id')
  getById(req: Request, res: Response) {
    return this.ok(res, 'User found', findUser(req.params.id))
  }
}

@Controller('orders')
class OrdersController extends BaseController {
  @Auth()
  @Post()
  @Body(Order)
  create(req: Req<{ body: typeof Order }>, res: Response) {
    return this.ok(res, 'Order created', placeOrder(req.body), 201)
  }
}

const guard = {
  async canActivate(req: Request) {
    req.user = await authenticate(req.headers.authorization)
    return req.user !== undefined
  },
}

const app = new App(
  workload === 'get'
    ? { controllers: defineControllers(UsersController), security: { helmet: false } }
    : { controllers: defineControllers(OrdersController), auth: { guard } },
)
const { port } = await app.listen(0, '127.0.0.1')
announce(port)
