import {
  Auth,
  BaseController,
  Body,
  Can,
  Controller,
  Get,
  inject,
  Params,
  Post,
  Query,
  type Req,
  type Response,
} from 'blazon'
import { Paging } from '../shared/paging.js'
import { CustomerId, NewCustomer } from './customers-schemas.js'
import { CustomersService } from './customers-service.js'

@Auth()
@Controller('customers')
export class CustomersController extends BaseController {
  private readonly customers = inject(CustomersService)

  @Get()
  @Query(Paging)
  async list(req: Req<{ query: typeof Paging }>, res: Response) {
    return this.ok(res, 'Customers', await this.customers.list(req.query))
  }

  @Get(':id')
  @Params(CustomerId)
  async getById(req: Req<{ params: typeof CustomerId }>, res: Response) {
    return this.ok(res, 'Customer', await this.customers.get(req.params.id))
  }

  @Post()
  @Can('customers:write')
  @Body(NewCustomer)
  async register(req: Req<{ body: typeof NewCustomer }>, res: Response) {
    return this.ok(res, 'Customer registered', await this.customers.register(req.body), 201)
  }
}
