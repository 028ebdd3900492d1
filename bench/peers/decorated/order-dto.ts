// What an order must be, in the words of class-validator; `order-schema.mjs` says the same in zod.
import { Type } from 'class-transformer'
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsDefined,
  IsEmail,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator'

class AddressDto {
  @IsString()
  @Length(1, 200)
  street!: string

  @IsString()
  @Length(1, 100)
  city!: string

  @IsString()
  @Length(3, 12)
  zip!: string

  @IsString()
  @Length(2, 2)
  country!: string
}

class CustomerDto {
  @IsString()
  @Length(1, 100)
  name!: string

  @IsEmail()
  email!: string

  @IsDefined()
  @ValidateNested()
  @Type(() => AddressDto)
  address!: AddressDto
}

class ItemDto {
  @IsString()
  @Length(1, 40)
  sku!: string

  @IsInt()
  @Min(1)
  @Max(1000)
  quantity!: number

  @IsNumber()
  @Min(0)
  price!: number
}

export class OrderDto {
  @IsDefined()
  @ValidateNested()
  @Type(() => CustomerDto)
  customer!: CustomerDto

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => ItemDto)
  items!: ItemDto[]

  @IsOptional()
  @IsString()
  @MaxLength(500)
  note?: string
}
