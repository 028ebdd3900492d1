import { Auth, Controller, Get, inject, type Paged, Post, Tenant } from 'blazon'
import { Customer, CustomerId, CustomerPages, NewCustomer } from './customers-schemas.js'
import { CustomersService } from './customers-service.js'

@Auth()
@Tenant()
@Controller('customers')
export class CustomersController {
  private readonly customers = inject(CustomersService)

  @Get('', { paged: CustomerPages })
  list({ page }: Paged<typeof CustomerPages>) {
    return this.customers.list(page)
  }

  @Get(':id', { params: CustomerId, returns: Customer, errors: { 404: 'No such customer' } })
  getById({ params }: { params: CustomerId }) {
    return this.customers.get(params.id)
  }

  @Post('', {
    body: NewCustomer,
    returns: Customer,
    status: 201,
    errors: { 409: 'The e-mail address is already registered' },
    can: 'customers:write',
  })
  register({ body }: { body: NewCustomer }) {
    return this.customers.register(body)
  }
}
