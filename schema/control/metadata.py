"""Metadata of all tables of the control plane, which are defined in several modules."""

from typing import Final

from sqlalchemy import MetaData

from schema.control import alert_models, models, shard_models

TABLE_MODULES: Final = (models, alert_models, shard_models)
"""Modules that define tables. METADATA contains the tables of a module after the module was imported."""

METADATA: Final[MetaData] = models.Base.metadata
