import {
  ApiResponseDoc,
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
  Tenant,
} from 'blazon'
import { Paging, pageSchema } from '../shared/paging.js'
import { Customer, CustomerId, NewCustomer } from './customers-schemas.js'
import { CustomersService } from './customers-service.js'

@Auth()
@Tenant()
@Controller('customers')
export class CustomersController extends BaseController {
  private readonly customers = inject(CustomersService)

  @Get()
  @Query(Paging)
  @ApiResponseDoc({ status: 200, description: 'A page', schema: pageSchema(Customer) })
  async list(req: Req<{ query: typeof Paging }>, res: Response) {
    return this.ok(res, 'Customers', await this.customers.list(req.query))
  }

  @Get(':id')
  @Params(CustomerId)
  @ApiResponseDoc({ status: 200, description: 'The customer', schema: Customer })
  @ApiResponseDoc({ status: 404, description: 'No such customer' })
  async getById(req: Req<{ params: typeof CustomerId }>, res: Response) {
    return this.ok(res, 'Customer', await this.customers.get(req.params.id))
  }

  @Post()
  @Can('customers:write')
  @Body(NewCustomer)
  @ApiResponseDoc({ status: 201, description: 'The new customer', schema: Customer })
  @ApiResponseDoc({ status: 409, description: 'The e-mail address is already registered' })
  async register(req: Req<{ body: typeof NewCustomer }>, res: Response) {
    return this.ok(res, 'Customer registered', await this.customers.register(req.body), 201)
  }
}
