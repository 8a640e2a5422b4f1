"""Contains all the data models used in inputs/outputs"""

from .ad import Ad
from .ad_author import AdAuthor
from .ad_details import AdDetails
from .ad_details_attributes import AdDetailsAttributes
from .ad_details_pricetype import AdDetailsPricetype
from .ad_details_status import AdDetailsStatus
from .ad_facets import AdFacets
from .ad_facets_attributes import AdFacetsAttributes
from .ad_pricetype import AdPricetype
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
from .comment import Comment
from .comments import Comments
from .create_or_update_ad import CreateOrUpdateAd
from .create_or_update_ad_attributes import CreateOrUpdateAdAttributes
from .create_or_update_ad_pricetype import CreateOrUpdateAdPricetype
from .create_or_update_comment import CreateOrUpdateComment
from .delete_user import DeleteUser
from .export_me_response_200 import ExportMeResponse200
from .extended_ad import ExtendedAd
from .extended_ad_attributes import ExtendedAdAttributes
from .extended_ad_pricetype import ExtendedAdPricetype
from .extended_ad_status import ExtendedAdStatus
from .fault_detail import FaultDetail
from .get_category_schema_response_200 import GetCategorySchemaResponse200
from .health import Health
from .image import Image
from .image_order import ImageOrder
from .images import Images
from .issue_token_body_grant_type import IssueTokenBodyGrantType
from .list_my_ads_status_item import ListMyAdsStatusItem
from .location import Location
from .login import Login
from .month import Month
from .new_password import NewPassword
from .option import Option
from .option_labels import OptionLabels
from .price_band import PriceBand
from .price_type import PriceType
from .problem import Problem
from .problem_from_type_0 import ProblemFromType0
from .register import Register
from .sale import Sale
from .session import Session
from .sessions import Sessions
from .site import Site
from .site_limits import SiteLimits
from .sort import Sort
from .token_error import TokenError
from .token_error_error import TokenErrorError
from .token_pair import TokenPair
from .update_user import UpdateUser
from .user import User
from .user_role import UserRole
from .variant import Variant
from .variants import Variants

__all__ = (
    "Ad",
    "AdAuthor",
    "AdDetails",
    "AdDetailsAttributes",
    "AdDetailsPricetype",
    "AdDetailsStatus",
    "AdFacets",
    "AdFacetsAttributes",
    "AdPricetype",
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
    "Comment",
    "Comments",
    "CreateOrUpdateAd",
    "CreateOrUpdateAdAttributes",
    "CreateOrUpdateAdPricetype",
    "CreateOrUpdateComment",
    "DeleteUser",
    "ExportMeResponse200",
    "ExtendedAd",
    "ExtendedAdAttributes",
    "ExtendedAdPricetype",
    "ExtendedAdStatus",
    "FaultDetail",
    "GetCategorySchemaResponse200",
    "Health",
    "Image",
    "ImageOrder",
    "Images",
    "IssueTokenBodyGrantType",
    "ListMyAdsStatusItem",
    "Location",
    "Login",
    "Month",
    "NewPassword",
    "Option",
    "OptionLabels",
    "PriceBand",
    "PriceType",
    "Problem",
    "ProblemFromType0",
    "Register",
    "Sale",
    "Session",
    "Sessions",
    "Site",
    "SiteLimits",
    "Sort",
    "TokenError",
    "TokenErrorError",
    "TokenPair",
    "UpdateUser",
    "User",
    "UserRole",
    "Variant",
    "Variants",
)
