// Blazon as its users write it.

import type { Req, Request, Response } from 'blazon'
import { App, Body, Controller, Delete, defineControllers, Get, Post, Put } from 'blazon'
import { announce } from '../candidates/serve.mjs'
import { NewOrder, NewUser, ReplacedOrder, ReplacedUser } from '../startup/schemas.mjs'
import { orders, users } from '../startup/shop.mjs'

@Controller('users')
class UsersController {
  @Get()
  list(_req: Request, res: Response) {
    res.json(users.list())
  }

  @Get(':id')
  read(req: Request, res: Response) {
    res.json(users.read(req.params.id))
  }

  @Post()
  @Body(NewUser)
  create(req: Req<{ body: typeof NewUser }>, res: Response) {
    res.status(201).json(users.create(req.body))
  }

  @Put(':id')
  @Body(ReplacedUser)
  replace(req: Req<{ body: typeof ReplacedUser }>, res: Response) {
    res.json(users.replace(req.params.id, req.body))
  }

  @Delete(':id')
  remove(req: Request, res: Response) {
    res.json(users.remove(req.params.id))
  }
}

@Controller('orders')
class OrdersController {
  @Get()
  list(_req: Request, res: Response) {
    res.json(orders.list())
  }

  @Get(':id')
  read(req: Request, res: Response) {
    res.json(orders.read(req.params.id))
  }

  @Post()
  @Body(NewOrder)
  create(req: Req<{ body: typeof NewOrder }>, res: Response) {
    res.status(201).json(orders.create(req.body))
  }

  @Put(':id')
  @Body(ReplacedOrder)
  replace(req: Req<{ body: typeof ReplacedOrder }>, res: Response) {
    res.json(orders.replace(req.params.id, req.body))
  }

  @Delete(':id')
  remove(req: Request, res: Response) {
    res.json(orders.remove(req.params.id))
  }
}

const app = new App({ controllers: defineControllers(UsersController, OrdersController) })
const { port } = await app.listen(0, '127.0.0.1')
announce(port)
