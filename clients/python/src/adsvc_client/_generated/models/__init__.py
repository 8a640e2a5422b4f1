"""Contains all the data models used in inputs/outputs"""

from .account_export import AccountExport
from .ad import Ad
from .ad_author import AdAuthor
from .ad_details import AdDetails
from .ad_details_attributes import AdDetailsAttributes
from .ad_event import AdEvent
from .ad_event_by import AdEventBy
from .ad_facets import AdFacets
from .ad_facets_attributes import AdFacetsAttributes
from .ad_status import AdStatus
from .ads import Ads
from .attribute import Attribute
from .attribute_count import AttributeCount
from .attribute_labels import AttributeLabels
from .attribute_type import AttributeType
from .categories import Categories
from .category import Category
from .category_attribute import CategoryAttribute
from .category_attribute_labels import CategoryAttributeLabels
from .category_count import CategoryCount
from .category_definition import CategoryDefinition
from .category_definition_names import CategoryDefinitionNames
from .category_names import CategoryNames
from .category_schema import CategorySchema
from .comment import Comment
from .comments import Comments
from .create_ad import CreateAd
from .create_ad_attributes import CreateAdAttributes
from .create_ad_status import CreateAdStatus
from .create_or_update_ad import CreateOrUpdateAd
from .create_or_update_ad_attributes import CreateOrUpdateAdAttributes
from .create_or_update_comment import CreateOrUpdateComment
from .delete_user import DeleteUser
from .exported_comment import ExportedComment
from .exported_life import ExportedLife
from .exported_life_attributes import ExportedLifeAttributes
from .exported_session import ExportedSession
from .exported_user import ExportedUser
from .extended_ad import ExtendedAd
from .extended_ad_attributes import ExtendedAdAttributes
from .fault_code import FaultCode
from .fault_detail import FaultDetail
from .fault_detail_type import FaultDetailType
from .health import Health
from .image import Image
from .image_order import ImageOrder
from .images import Images
from .location import Location
from .login import Login
from .month import Month
from .new_password import NewPassword
from .option import Option
from .option_labels import OptionLabels
from .price_band import PriceBand
from .price_type import PriceType
from .problem import Problem
from .register import Register
from .role import Role
from .sale import Sale
from .session import Session
from .sessions import Sessions
from .site import Site
from .site_limits import SiteLimits
from .sort import Sort
from .token_error import TokenError
from .token_error_error import TokenErrorError
from .token_form_grant_type import TokenFormGrantType
from .token_pair import TokenPair
from .update_user import UpdateUser
from .user import User
from .variant import Variant
from .variants import Variants

__all__ = (
    "AccountExport",
    "Ad",
    "AdAuthor",
    "AdDetails",
    "AdDetailsAttributes",
    "AdEvent",
    "AdEventBy",
    "AdFacets",
    "AdFacetsAttributes",
    "Ads",
    "AdStatus",
    "Attribute",
    "AttributeCount",
    "AttributeLabels",
    "AttributeType",
    "Categories",
    "Category",
    "CategoryAttribute",
    "CategoryAttributeLabels",
    "CategoryCount",
    "CategoryDefinition",
    "CategoryDefinitionNames",
    "CategoryNames",
    "CategorySchema",
    "Comment",
    "Comments",
    "CreateAd",
    "CreateAdAttributes",
    "CreateAdStatus",
    "CreateOrUpdateAd",
    "CreateOrUpdateAdAttributes",
    "CreateOrUpdateComment",
    "DeleteUser",
    "ExportedComment",
    "ExportedLife",
    "ExportedLifeAttributes",
    "ExportedSession",
    "ExportedUser",
    "ExtendedAd",
    "ExtendedAdAttributes",
    "FaultCode",
    "FaultDetail",
    "FaultDetailType",
    "Health",
    "Image",
    "ImageOrder",
    "Images",
    "Location",
    "Login",
    "Month",
    "NewPassword",
    "Option",
    "OptionLabels",
    "PriceBand",
    "PriceType",
    "Problem",
    "Register",
    "Role",
    "Sale",
    "Session",
    "Sessions",
    "Site",
    "SiteLimits",
    "Sort",
    "TokenError",
    "TokenErrorError",
    "TokenFormGrantType",
    "TokenPair",
    "UpdateUser",
    "User",
    "Variant",
    "Variants",
)
